/* Fortran's `use mpi_f08`.
 *
 * MPICH's Fortran library calls C's MPI_Send for mpif.h and `use mpi`, and for all of mpi_f08 that has buffers; the
 * rest of mpi_f08 (MPI_Init, MPI_Wait, MPI_Barrier, MPI_Comm_split, ..) calls PMPI_ functions, which nobody could
 * preload. Method: where the library's tables of addresses (ELF: relocations of the dynamic section) name PMPI_X and
 * this library has MPI_X, the address is replaced. A program that calls PMPI_ itself, from Fortran, is seen as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "predict/record/record.h"

#if defined(__x86_64__) || defined(__aarch64__)

/* What the dynamic section of a library says. */
typedef struct tables {
    const Elf64_Sym *symbol;
    const char *text;
    const Elf64_Rela *calls, *others; /* functions called, and addresses taken */
    size_t calls_bytes, others_bytes;
} tables;

static tables read_tables(const Elf64_Dyn *at)
{
    tables t = {0};
    for (; at->d_tag != DT_NULL; at++)
        switch (at->d_tag) {
        case DT_SYMTAB:
            t.symbol = (const Elf64_Sym *)at->d_un.d_ptr;
            break;
        case DT_STRTAB:
            t.text = (const char *)at->d_un.d_ptr;
            break;
        case DT_JMPREL:
            t.calls = (const Elf64_Rela *)at->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            t.calls_bytes = at->d_un.d_val;
            break;
        case DT_RELA:
            t.others = (const Elf64_Rela *)at->d_un.d_ptr;
            break;
        case DT_RELASZ:
            t.others_bytes = at->d_un.d_val;
            break;
        default:
            break;
        }
    return t;
}

/* This library's function of that name, NULL: it has none. */
static void *own_function(const char *name)
{
    Dl_info here, there;
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found || !dladdr(found, &there) || !dladdr((void *)(uintptr_t)own_function, &here))
        return NULL;
    return here.dli_fbase == there.dli_fbase ? found : NULL;
}

/* Tables may have been made read-only after they were filled. */
static void replace(void **place, void *with)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)place / page * page;
    if (mprotect((void *)first, page, PROT_READ | PROT_WRITE) == 0)
        *place = with;
}

static void replace_all(const tables *t, const Elf64_Rela *entry, size_t bytes, uintptr_t base)
{
    for (size_t k = 0; entry && k < bytes / sizeof *entry; k++) {
        const char *name = t->text + t->symbol[ELF64_R_SYM(entry[k].r_info)].st_name;
        void *own = strncmp(name, "PMPI_", 5) == 0 ? own_function(name + 1) : NULL;
        if (own)
            replace((void **)(base + entry[k].r_offset), own);
    }
}

static int look_at(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(library->dlpi_name, "libmpichf") && !strstr(library->dlpi_name, "libmpifort"))
        return 0;
    for (int k = 0; k < library->dlpi_phnum; k++)
        if (library->dlpi_phdr[k].p_type == PT_DYNAMIC) {
            const tables t = read_tables((const Elf64_Dyn *)(library->dlpi_addr + library->dlpi_phdr[k].p_vaddr));
            if (!t.symbol || !t.text)
                continue;
            replace_all(&t, t.calls, t.calls_bytes, library->dlpi_addr);
            replace_all(&t, t.others, t.others_bytes, library->dlpi_addr);
        }
    return 0;
}

__attribute__((constructor)) static void see_fortran(void)
{
    dl_iterate_phdr(look_at, NULL);
}

#endif
