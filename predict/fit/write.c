/* The file of equations of a fitted program: the phases for `bmf model`, and the rules that `bmf predict` follows.
 *
 * The equation of a phase is the longest of its roles, each for one of its ranks; what depends on the turn of a loop is
 * taken in the middle. Form: docs/models.md.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/equations/equations_private.h"
#include "predict/fit/fit_private.h"

static const char *const kind_words[TOKEN_KINDS] = {[TOKEN_SEND] = "send",
                                                    [TOKEN_RECEIVE] = "receive",
                                                    [TOKEN_POST] = "post",
                                                    [TOKEN_WAIT] = "wait",
                                                    [TOKEN_COLLECTIVE] = "collective"};
static const char *const peer_words[TOKEN_KINDS] = {
    [TOKEN_SEND] = "to", [TOKEN_RECEIVE] = "from", [TOKEN_POST] = "from", [TOKEN_COLLECTIVE] = "root"};

/* ---- rules ---- */

typedef struct writer {
    const bmf_fitted_program *program;
    FILE *stream;
} writer;

static void indent(const writer *w, int depth)
{
    fprintf(w->stream, "%*s", 2 * depth, "");
}

/* Phases' names come from programs: nothing in them may end the text between quotes. */
static void put_quoted(const writer *w, const char *text)
{
    fputc('"', w->stream);
    for (; *text; text++)
        fputc(*text == '"' || iscntrl((unsigned char)*text) ? '?' : *text, w->stream);
    fputc('"', w->stream);
}

static void put_work(const writer *w, const bmf_work *work, int depth)
{
    indent(w, depth);
    fprintf(w->stream, "work %.9g", work->c);
    if (work->of[0])
        fprintf(w->stream, ", %.9g of %s", work->k, work->of);
    fprintf(w->stream, " error %.4g, %.4g, %.4g noise %.4g\n", work->error_c, work->error_k, work->correlation,
            work->noise);
}

static void put_value(const writer *w, const bmf_place *place, bmf_value_kind value, const char *word)
{
    if (place->has_rule[value])
        fprintf(w->stream, " %s %s", word, place->rule[value].text);
}

static void put_call(const writer *w, const bmf_place *place, const bmf_symbol *symbol)
{
    fprintf(w->stream, "call %s ", kind_words[symbol->kind]);
    put_quoted(w, symbol->name);
    if (peer_words[symbol->kind])
        put_value(w, place, VALUE_PEER, peer_words[symbol->kind]);
    put_value(w, place, VALUE_BYTES, "bytes");
    if (symbol->tag >= 0)
        fprintf(w->stream, " tag %lld", (long long)symbol->tag);
    put_value(w, place, VALUE_TAG, "tag");
    put_value(w, place, VALUE_REQUEST, "request");
    if (symbol->group > 0)
        fprintf(w->stream, " group %lld", (long long)symbol->group);
    fprintf(w->stream, "%s%s%s\n", symbol->flags & TOKEN_STARTS ? " starts" : "",
            symbol->flags & TOKEN_TOGETHER ? " together" : "", symbol->flags & TOKEN_ANY_TAG ? " anytag" : "");
}

static void put_places(const writer *w, const bmf_place *list, int depth);

static void put_place(const writer *w, const bmf_place *place, int depth)
{
    const bmf_symbol *symbol = place->symbol < 0 ? NULL : &w->program->symbols.symbol[place->symbol];
    if (!symbol && strcmp(place->count_rule.text, "0") == 0)
        return;
    if (!symbol) {
        indent(w, depth);
        fprintf(w->stream, "repeat %s\n", place->count_rule.text);
        put_places(w, place, depth + 1);
        indent(w, depth);
        fputs("end\n", w->stream);
        return;
    }
    if (place->fitted.c > 0.0 || place->fitted.k > 0.0)
        put_work(w, &place->fitted, depth);
    if (symbol->kind == TOKEN_END)
        return;
    indent(w, depth);
    if (symbol->kind == TOKEN_REGION) {
        fputs("region ", w->stream);
        put_quoted(w, symbol->region);
        fputc('\n', w->stream);
    } else if (symbol->kind == TOKEN_STEPS) {
        fprintf(w->stream, "steps %s\n", place->rule[VALUE_BYTES].text);
    } else {
        put_call(w, place, symbol);
    }
}

static void put_places(const writer *w, const bmf_place *list, int depth)
{
    for (int32_t k = 0; k < list->places; k++)
        put_place(w, &list->place[k], depth);
}

/* ---- phases ---- */

/* A region of the program, and the equations of its roles. */
typedef struct phase {
    const char *region;
    char name[BMF_EQUATION_NAME];
} phase;

/* A name that no other thing of a file of equations has. */
static void name_phase(phase *of, const phase *before, int count)
{
    char plain[BMF_EQUATION_NAME - 16];
    size_t used = 0;
    for (const char *at = of->region[0] ? of->region : "outside"; *at && used + 1 < sizeof plain; at++)
        plain[used++] = isalnum((unsigned char)*at) ? *at : '_';
    plain[used] = '\0';
    const bool taken = used < 2 || isdigit((unsigned char)plain[0]) || predefined_find(plain) ||
                       is_operation_time(plain) || strcmp(plain, "total") == 0 || strcmp(plain, "mod") == 0 ||
                       strcmp(plain, "turned") == 0 || strcmp(plain, "owner") == 0 || strcmp(plain, "firstrow") == 0;
    snprintf(of->name, sizeof of->name, "%s%s", taken ? "phase_" : "", plain);
    for (int k = 0; k < count; k++)
        if (strcmp(before[k].name, of->name) == 0)
            snprintf(of->name, sizeof of->name, "%s_%d", plain, count + 1);
}

static int find_phases(const bmf_fitted_program *program, phase **list)
{
    int phases = 0, capacity = 0;
    *list = NULL;
    for (int32_t k = 0; k < program->symbols.count; k++) {
        const bmf_symbol *symbol = &program->symbols.symbol[k];
        bool known = false;
        for (int j = 0; j < phases && !known; j++)
            known = strcmp((*list)[j].region, symbol->region) == 0;
        if (known)
            continue;
        phase made = {.region = symbol->region};
        name_phase(&made, *list, phases);
        *ARRAY_APPEND(*list, phases, capacity) = made;
    }
    return phases;
}

/* The text with variables put in: each of r, k, j and i that stands alone. The caller frees. */
static char *put_in(const char *text, char variable, const char *value)
{
    char *made = NULL;
    size_t size;
    FILE *to = open_memstream(&made, &size);
    if (!to)
        out_of_memory(0, "for equations");
    for (const char *at = text; *at; at++) {
        const bool alone = *at == variable && (at == text || !isalnum((unsigned char)at[-1])) &&
                           !isalnum((unsigned char)at[1]) && at[1] != '(';
        if (alone)
            fprintf(to, "(%s)", value);
        else
            fputc(*at, to);
    }
    fclose(to);
    return made;
}

/* A rank that has the role. */
static const char *member_of(const bmf_role *role)
{
    if (strstr(role->condition, "r == p-1") || strstr(role->condition, "r >="))
        return "p-1";
    if (strstr(role->condition, "r > 0") || strstr(role->condition, "r,2) == 1") || strstr(role->condition, "r == 1"))
        return "1";
    return strstr(role->condition, "r > 1") ? "2" : "0";
}

typedef struct phase_writer {
    const bmf_fitted_program *program;
    const char *region, *rank;
    const char *turns[FIT_DEPTH]; /* of the loops, the innermost first; NULL: none */
    FILE *stream;
    bool empty;
} phase_writer;

/* An expression of a rule, for the phase. */
static void put_expression(const phase_writer *w, const char *text)
{
    static const char names[FIT_DEPTH] = {'k', 'j', 'i'};
    char *made = put_in(text, 'r', w->rank);
    for (int k = 0; k < FIT_DEPTH; k++) {
        char middle[FIT_TEXT + 16];
        snprintf(middle, sizeof middle, "(%s-1)/2", w->turns[k] ? w->turns[k] : "1");
        char *next = put_in(made, names[k], middle);
        free(made);
        made = next;
    }
    fprintf(w->stream, "%s", made);
    free(made);
}

static void begin_term(phase_writer *w)
{
    fprintf(w->stream, "%s", w->empty ? "" : " + ");
    w->empty = false;
    for (int k = 0; k < FIT_DEPTH && w->turns[k]; k++) {
        fputc('(', w->stream);
        put_expression(&(phase_writer){.program = w->program,
                                       .rank = w->rank,
                                       .stream = w->stream,
                                       .turns = {k + 1 < FIT_DEPTH ? w->turns[k + 1] : NULL}},
                       w->turns[k]);
        fputs(")*", w->stream);
    }
}

/* The name of the operation that the call takes the time of, with a t in front; NULL: none. */
static const char *operation_of(const bmf_symbol *symbol, char name[64])
{
    const char *call = symbol->name;
    if (symbol->kind == TOKEN_COLLECTIVE && symbol->flags & TOKEN_STARTS && call[0] == 'i')
        call++;
    snprintf(name, 64, "t%.60s", symbol->kind == TOKEN_SEND ? "send" : symbol->kind == TOKEN_RECEIVE ? "recv" : call);
    return is_operation_time(name) ? name : NULL;
}

static void put_term(phase_writer *w, const bmf_place *place, const bmf_symbol *symbol)
{
    char name[64];
    if (place->fitted.c > 0.0 || place->fitted.k > 0.0) {
        begin_term(w);
        fprintf(w->stream, "(%.9g", place->fitted.c);
        if (place->fitted.of[0]) {
            fprintf(w->stream, " + %.9g*", place->fitted.k);
            put_expression(w, place->fitted.of);
        }
        fputc(')', w->stream);
    }
    if (symbol->kind == TOKEN_WAIT || symbol->kind == TOKEN_POST || !operation_of(symbol, name))
        return;
    begin_term(w);
    fprintf(w->stream, "%s(", name);
    if (symbol->kind == TOKEN_COLLECTIVE)
        fputs("p", w->stream);
    if (strcmp(name, "tbarrier") != 0) {
        fputs(symbol->kind == TOKEN_COLLECTIVE ? ", (" : "(", w->stream);
        put_expression(w, place->rule[VALUE_BYTES].text);
        fputs(")/element_bytes", w->stream);
    }
    fputc(')', w->stream);
}

/* All terms of the region in the places. The work before a phase begins is the one's before. */
static void put_terms(phase_writer *w, const bmf_place *list)
{
    for (int32_t k = 0; k < list->places; k++) {
        const bmf_place *place = &list->place[k];
        if (place->symbol >= 0) {
            const bmf_symbol *symbol = &w->program->symbols.symbol[place->symbol];
            if (strcmp(symbol->region, w->region) == 0)
                put_term(w, place, symbol);
            continue;
        }
        if (strcmp(place->count_rule.text, "0") == 0)
            continue;
        phase_writer inside = *w;
        for (int depth = FIT_DEPTH - 1; depth > 0; depth--)
            inside.turns[depth] = w->turns[depth - 1];
        inside.turns[0] = place->count_rule.text;
        put_terms(&inside, place);
        w->empty = inside.empty;
    }
}

static void put_phase(const bmf_fitted_program *program, const phase *of, FILE *stream)
{
    fprintf(stream, "phase %s(p,d) = max(0", of->name);
    for (int32_t k = 0; k < program->roles; k++) {
        const bmf_role *role = &program->role[k];
        char *condition = put_in(role->condition, 'r', member_of(role)), *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        if (!to)
            out_of_memory(0, "for equations");
        phase_writer w = {
            .program = program, .region = of->region, .rank = member_of(role), .stream = to, .empty = true};
        put_terms(&w, &role->root);
        fclose(to);
        if (!w.empty)
            fprintf(stream, ", \\\n  %s ? %s : 0", condition, text);
        free(text);
        free(condition);
    }
    fputs(", 0)\n", stream);
}

/* ---- all ---- */

static void put_head(const bmf_fitted_program *program, FILE *stream)
{
    double least = INFINITY, most = 0.0;
    int32_t fewest = INT32_MAX, largest = 0;
    for (int64_t k = 0; k < program->recordings; k++) {
        const bmf_recording *of = &program->recording[k];
        least = of->d < least ? of->d : least;
        most = of->d > most ? of->d : most;
        fewest = of->run->lanes < fewest ? of->run->lanes : fewest;
        largest = of->run->lanes > largest ? of->run->lanes : largest;
    }
    fprintf(stream,
            "# Made by bmf model fit from %lld recordings: %s from %.15g to %.15g, %d to %d processes.\n"
            "# d is %s; times are microseconds of the recording host. What messages cost: bmf model eval --sheet S.\n",
            (long long)program->recordings, program->parameter, least, most, fewest, largest, program->parameter);
    fputs("param element_bytes = 8 # an element of the sheet\n"
          "mod(a,b) = a - b*floor(a/b)\n"
          "turned(r,c) = r + c*(1 - 2*mod(floor(r/c),2)) # the rank with the bit of value c turned\n"
          "# rows 0 .. m-1 in blocks, the first mod(m,p) ranks have one more: the first row of rank r, the owner of "
          "row k\n"
          "firstrow(m,p,r) = r*floor(m/p) + min(r, mod(m,p))\n"
          "owner(m,p,k) = k < mod(m,p)*(floor(m/p)+1) ? floor(k/(floor(m/p)+1)) : \\\n"
          "  mod(m,p) + floor((k - mod(m,p)*(floor(m/p)+1))/floor(m/p))\n",
          stream);
}

void fitted_program_write(const bmf_fitted_program *program, FILE *stream)
{
    const writer w = {program, stream};
    phase *list;
    put_head(program, stream);
    const int phases = find_phases(program, &list);
    for (int k = 0; k < phases; k++)
        put_phase(program, &list[k], stream);
    free(list);
    fputs("\nprogram ", stream);
    put_quoted(&w, program->name);
    fputs(", ", stream);
    put_quoted(&w, program->parameter);
    fputc('\n', stream);
    for (int32_t k = 0; k < program->roles; k++) {
        fprintf(stream, "ranks %s\n", program->role[k].condition);
        put_places(&w, &program->role[k].root, 1);
    }
}

/* ---- for people ---- */

typedef struct counts {
    int64_t places, exact, near;
} counts;

static void count_rules(void *state, bmf_place *place)
{
    counts *c = state;
    c->places += place->symbol >= 0;
    for (int k = 0; k < VALUES; k++) {
        c->exact += place->has_rule[k] && place->rule[k].exact;
        c->near += place->has_rule[k] && !place->rule[k].exact;
    }
    if (place->symbol < 0) {
        c->exact += place->count_rule.exact;
        c->near += !place->count_rule.exact;
    }
}

void fitted_program_describe(const bmf_fitted_program *program, bool phases, FILE *stream)
{
    counts all = {0};
    for (int32_t k = 0; k < program->roles; k++)
        places_each(&program->role[k].root, count_rules, &all);
    fprintf(stream, "%s: %lld recordings, %d role%s, %lld calls and marks, %lld exact rules, %lld that are only near\n",
            program->name, (long long)program->recordings, program->roles, program->roles == 1 ? "" : "s",
            (long long)all.places, (long long)all.exact, (long long)all.near);
    for (int32_t k = 0; k < program->roles && phases; k++) {
        fprintf(stream, "ranks with %s (%lld recorded)\n", program->role[k].condition,
                (long long)program->role[k].members);
        put_places(&(writer){program, stream}, &program->role[k].root, 1);
    }
}
