" Vim syntax file
" Language: programs of the Bird-Meertens formalism, as `bmf run` takes them (docs/language.md)

if exists('b:current_syntax')
  finish
endif

syntax case ignore
syntax iskeyword @,48-57,_

syntax keyword bmfForm B_Id B_Comp B_Con B_Alltup B_Allvec B_Op B_Addr B_Num B_Procs B_Record B_Field B_With
syntax keyword bmfConditional B_If
syntax keyword bmfRepeat B_While
syntax keyword bmfSkeleton B_Map B_Reduce B_Scan B_Zip B_Split B_Blocks B_Join B_Filter B_Reduce_by_key B_Shift B_Stencil B_Ring B_Sort_by B_Group
syntax keyword bmfParallel P_Map P_Reduce P_Scan P_Zip P_Split P_Distl P_Dist1 P_Project P_Sort P_Argsort P_Unique
syntax keyword bmfParallel P_Blocks P_Join P_Transpose P_Reduce_by_key P_Shift P_Stencil P_Sort_by P_Group
syntax keyword bmfOperation B_Plus B_Minus B_Times B_Divide B_Mod B_Max B_Min B_And B_Or B_Eq B_Ne B_Gt B_Lt B_Ge B_Le
syntax keyword bmfOperation B_Uminus B_Neg B_Not B_Abs B_Sqrt B_Exp B_Log B_Sin B_Cos B_Tan B_Int B_Real
syntax keyword bmfOperation B_Floor B_Ceil B_Round B_Pow B_Atan2 B_Bitand B_Bitor B_Bitxor B_Shl B_Shr B_Random
syntax keyword bmfOperation B_Length B_Index B_Iota B_Distl B_Dist1 B_Project B_Conc B_Sort B_Argsort B_Unique B_Transpose B_Matmul B_Slice
syntax keyword bmfBoolean true false B_True B_False
syntax keyword bmfNumber inf nan

" The notation: case matters there, but not to what is coloured.
syntax keyword bmfLet let in main default procs with
syntax keyword bmfConditional if then else
syntax keyword bmfRepeat loop while for do
syntax keyword bmfWordOperator and or not mod
syntax keyword bmfSkeleton map filter reduce scan zip split cut join reduce_by_key shift stencil sort_by group
syntax keyword bmfFunction sort argsort length iota pick abs sqrt exp log sin cos tan floor ceil round neg int real max min pow atan2
syntax keyword bmfFunction bitand bitor bitxor shl shr random unique transpose matmul
syntax match bmfMark '|>\|->\|\.\.<'
syntax match bmfField '\%(\w\|)\|]\|}\)\@<=\.\a\w*'
syntax match bmfField '\a\w*\ze\s*:'

syntax match bmfNumber '[-+]\?\<\d\+\>'
syntax match bmfNumber '[-+]\?\<\d\+\.\d*\%(e[-+]\?\d\+\)\?'
syntax match bmfNumber '[-+]\?\<\d\+e[-+]\?\d\+\>'
syntax match bmfName '\$\w\+'
syntax match bmfDefinition '^\s*\$\w\+\ze\s*='
syntax match bmfUnknown '\<[BP]_\w\+\>'
syntax match bmfComment '#.*$'

highlight default link bmfForm Keyword
highlight default link bmfLet Keyword
highlight default link bmfWordOperator Operator
highlight default link bmfFunction Function
highlight default link bmfMark Operator
highlight default link bmfField Identifier
highlight default link bmfConditional Conditional
highlight default link bmfRepeat Repeat
highlight default link bmfSkeleton Statement
highlight default link bmfParallel Special
highlight default link bmfOperation Operator
highlight default link bmfBoolean Boolean
highlight default link bmfNumber Number
highlight default link bmfName Identifier
highlight default link bmfDefinition Function
highlight default link bmfUnknown Error
highlight default link bmfComment Comment

let b:current_syntax = 'bmf'
