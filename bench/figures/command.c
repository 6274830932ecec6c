/* bmf-bench figures: the figures of document 000 made again, published and found side by side.
 *
 * Method: every program is predicted once on every machine it is needed on. Nothing is measured. Cost: a second. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/figures/figures.h"

typedef struct options {
    const char *html;
    bool json;
} options;

typedef struct finding {
    bmf_trace_run *run; /* owned by the first that has it */
    bool owner, same;
    char found[FIGURE_TEXT];
} finding;

/* ---- finding ---- */

static int find_run(const finding *all, int number, bmf_trace_run **run)
{
    for (int k = 0; k < number; k++)
        if (figure_table[k].program == figure_table[number].program &&
            strcmp(figure_table[k].machine, figure_table[number].machine) == 0) {
            *run = all[k].run;
            return BMF_OK;
        }
    *run = NULL;
    return figure_predict(figure_table[number].program, figure_table[number].machine, run);
}

/* Number by number; "-" agrees with any, and alone with all. */
static bool agrees(const char *published, const char *found)
{
    if (strcmp(published, "-") == 0)
        return true;
    while (*published && *found) {
        const size_t said = strcspn(published, " "), is = strcspn(found, " ");
        const bool any = said == 1 && *published == '-';
        if (!any && (said != is || memcmp(published, found, said) != 0))
            return false;
        published += said + (published[said] == ' ');
        found += is + (found[is] == ' ');
    }
    return !*published && !*found;
}

static int find_all(finding *all)
{
    for (int k = 0; k < figure_count; k++) {
        BMF_TRY(find_run(all, k, &all[k].run));
        all[k].owner = true;
        for (int i = 0; i < k; i++)
            all[k].owner = all[k].owner && all[i].run != all[k].run;
        figure_table[k].find(all[k].run, figure_table[k].call, all[k].found);
        all[k].same = agrees(figure_table[k].published, all[k].found);
    }
    return BMF_OK;
}

/* ---- telling ---- */

static void print_table(const finding *all)
{
    printf("document 000: what its figures show, and what is found; * differs, see below\n\n");
    printf("%-11s %-66s %-20s %s\n", "figure", "what", "published", "found");
    for (int k = 0; k < figure_count; k++)
        printf("%-11s %-66.66s %-20s %s%s\n", figure_table[k].number, figure_table[k].what, figure_table[k].published,
               all[k].found[0] ? all[k].found : "-", all[k].same ? "" : " *");
    puts("");
    for (int k = 0; k < figure_count; k++)
        if (!all[k].same)
            printf("* %s: %s\n", figure_table[k].number, figure_table[k].remark ? figure_table[k].remark : "");
}

static void print_json(const finding *all)
{
    json_t *figures = json_array();
    for (int k = 0; k < figure_count; k++) {
        const bmf_figure *f = &figure_table[k];
        json_array_append_new(figures,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s?}", "figure", f->number, "machine",
                                        f->machine, "what", f->what, "published", f->published, "found", all[k].found,
                                        "same", all[k].same, "remark", all[k].same ? NULL : f->remark));
    }
    json_print(json_pack("{s:o}", "figures", figures), BMF_JSON_LINE);
}

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1b2330;--soft:#56616f;--line:#d5dae1;--busy:#0072b2;"
    "--overhead:#d55e00;--small:#3182bd;--middle:#8c2d8c;--large:#c98a00;--bytes:#009e73}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#161b22;--ink:#e8ecf1;--soft:#9da8b6;--line:#343d49;"
    "--busy:#3b9ad6;--overhead:#ea7a3c;--small:#63bdf0;--middle:#d48be0;--large:#f0ae2c;--bytes:#2fb98d}}\n"
    "body{max-width:74rem;margin:auto;padding:1rem;background:var(--paper);color:var(--ink);font:15px/1.5 "
    "system-ui,sans-serif}\n"
    "main{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(32rem,100%),1fr));gap:1.5rem 2rem}\n"
    "h2{font-size:1rem;margin:0}p,pre{margin:.2rem 0;color:var(--soft);font-size:.87rem}pre{white-space:pre-wrap}\n"
    "table{border-collapse:collapse;font-size:.87rem;width:100%}td,th{text-align:left;padding:.15rem .8rem .15rem 0;"
    "border-bottom:1px solid var(--line);vertical-align:top}\n"
    "svg{display:block;width:100%;margin-top:.4rem}svg text{font-size:9px;fill:var(--soft)}svg path{fill:none}\n"
    ".busy{fill:var(--busy)}.overhead{fill:var(--overhead)}.lane{stroke:var(--line)}.small{stroke:var(--small)}"
    ".middle{stroke:var(--middle)}.large{stroke:var(--large)}svg .count{fill:var(--small)}svg .bytes{fill:var(--bytes)}"
    ".link{stroke:var(--overhead)}circle{fill:var(--ink)}\n"
    ".frames{display:grid;grid-template-columns:1fr 1fr;gap:.5rem}.key i{display:inline-block;width:.8em;height:.8em;"
    "margin:0 .3em 0 .9em}\n";

static void put_pictures(FILE *stream, const bmf_figure *figure, const bmf_trace_run *run)
{
    if (figure->pictures & PICTURE_GANTT)
        picture_gantt(stream, run);
    if (figure->pictures & PICTURE_SPACE_TIME)
        picture_space_time(stream, run);
    if (figure->pictures & PICTURE_TRAFFIC)
        picture_traffic(stream, run);
    if (figure->pictures & PICTURE_TREE)
        picture_network(stream, run, figure->call, "binary-tree");
    if (figure->pictures & PICTURE_MESH)
        picture_network(stream, run, figure->call, "mesh");
}

static void put_row(FILE *stream, const bmf_figure *figure, const finding *of)
{
    fprintf(stream, "<tr><td>%s</td><td>%s</td><td>%s%s</td></tr>\n", figure->what, figure->published,
            of->found[0] ? of->found : "-", of->same ? "" : " *");
    if (!of->same && figure->remark)
        fprintf(stream, "<tr><td colspan=\"3\">* %s</td></tr>\n", figure->remark);
}

static void put_page(FILE *stream, const finding *all)
{
    fprintf(stream,
            "<!doctype html>\n<html lang=\"en\" data-ready=\"0\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
            "name=\"viewport\" "
            "content=\"width=device-width, initial-scale=1\">\n<title>Figures of document 000</title>\n<style>\n%s"
            "</style>\n</head>\n<body>\n<h1>Figures of document 000, chapters 5 and 6</h1>\n"
            "<p>Its programs on machines of virtual time: basic-16, binary-tree-16, mesh-16. An item is a number of 8 "
            "bytes.</p>\n<p class=\"key\">States:<i style=\"background:var(--busy)\"></i>busy<i "
            "style=\"background:var(--overhead)\"></i>overhead; otherwise idle. Messages, by size against the "
            "largest:<i style=\"background:var(--small)\"></i>up to a quarter<i "
            "style=\"background:var(--middle)\"></i>up to three quarters<i "
            "style=\"background:var(--large)\"></i>larger</p>\n<main>\n",
            style);
    for (int k = 0; k < figure_count; k++) {
        const bmf_figure *figure = &figure_table[k];
        if (!figure->title)
            continue;
        fprintf(stream,
                "<section>\n<h2>%s: %s</h2>\n<p>%s</p>\n<details><summary>Program</summary><pre>%s</pre></details>\n",
                figure->number, figure->title, figure->machine, figure_program_text(figure->program));
        fputs("<table><tr><th></th><th>published</th><th>found</th></tr>\n", stream);
        put_row(stream, figure, &all[k]);
        for (int i = k + 1; i < figure_count && !figure_table[i].title; i++)
            put_row(stream, &figure_table[i], &all[i]);
        fputs("</table>\n", stream);
        put_pictures(stream, figure, all[k].run);
        fputs("</section>\n", stream);
    }
    fputs("</main>\n</body>\n</html>\n", stream);
}

static int write_page(const finding *all, const char *path)
{
    bmf_output_file file;
    const int failure = output_file_open(&file, path);
    if (failure == 0)
        put_page(output_file_stream(&file), all);
    if (failure != 0 || output_file_close(&file, 0) != 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%s'", path);
    return BMF_OK;
}

/* ---- the command ---- */

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const options *o = values;
    finding *all = calloc((size_t)figure_count, sizeof *all);
    int provided;
    (void)ctx, (void)operands;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    int status = all ? find_all(all) : BMF_ERROR_MEMORY;
    if (status == BMF_OK && o->html)
        status = write_page(all, o->html);
    if (status == BMF_OK && o->json)
        print_json(all);
    else if (status == BMF_OK)
        print_table(all);
    for (int k = 0; all && k < figure_count; k++)
        if (all[k].owner)
            run_free(all[k].run);
    free(all);
    const int code = report_status(NULL, status);
    MPI_Finalize();
    return code;
}

static const bmf_option table[] = {
    BMF_OPTION("html", "FILE", BMF_TEXT(options, html), "write a page with the pictures, too"),
    BMF_OPTION(
        "json", NULL, BMF_FLAG(options, json),
        "one JSON object instead of the table: figures, each with figure, machine, what, published, found, same, "
        "remark"),
    BMF_OPTION_END};

const bmf_driver bench_figures = {
    .name = "figures",
    .summary = "the figures of document 000 made again, beside what it published",
    .synopsis = "bmf-bench figures [OPTION]..",
    .about = "Predicts the programs of document 000, chapters 5 and 6, on machines of virtual time, and sets what its "
             "figures show beside what is found. docs/documents.md says where they differ.",
    .example = "bmf-bench figures --html figures.html",
    .options = table,
    .size = sizeof(options),
    .run = run};
