" Programs and libraries of the BMF language, and data as text.
autocmd BufNewFile,BufRead *.bmf,*.bmfdata setfiletype bmf
