" Run by Vim itself, with ALE. Environment: POSTIL, ROOT, OUT (a file for the transcript).
set nocompatible noswapfile hidden encoding=utf-8 nomore shortmess=aoOtTIF
set rtp^=/usr/share/vim-ale
let g:ale_linters_explicit = 1
let g:ale_linters = {'python': ['postil']}
let g:ale_hover_to_preview = 1
let g:ale_hover_cursor = 0
let g:ale_lint_delay = 0
filetype plugin on
runtime plugin/ale.vim
call ale#linter#Define('python', {
\ 'name': 'postil', 'lsp': 'stdio', 'executable': $POSTIL, 'command': '%e lsp',
\ 'project_root': $ROOT, 'language': 'python', 'initialization_options': {'lens': v:true}})
let s:told = []
let s:failed = 0

function! s:check(name, ok, info) abort
  let s:failed += !a:ok
  call add(s:told, (a:ok ? 'ok   ' : 'FAIL ') . a:name . ': ' . substitute(a:info, "\n", ' ', 'g'))
endfunction

function! s:until(condition) abort
  let l:start = reltime()
  while !a:condition() && reltimefloat(reltime(l:start)) < 20
    sleep 20m
  endwhile
endfunction

function! s:preview() abort
  for l:window in range(1, winnr('$'))
    if getwinvar(l:window, '&previewwindow')
      return join(getbufline(winbufnr(l:window), 1, '$'), "\n")
    endif
  endfor
  return ''
endfunction

try
  execute 'edit ' . $ROOT . '/pay.py'
  set ft=python
  let s:buffer = bufnr('%')
  ALELint
  call s:until({-> len(ale#engine#GetLoclist(s:buffer)) > 0})
  let s:found = map(copy(ale#engine#GetLoclist(s:buffer)), 'v:val.text')
  call s:check('diagnostic', string(s:found) =~# 'No parties', string(s:found))
  call search('= charge')
  normal! 3l
  ALEHover
  call s:until({-> s:preview() =~# 'Retries are off'})
  call s:check('hover', s:preview() =~# 'Retries are off', s:preview())
  ALESymbolSearch charge
  call s:until({-> s:preview() =~# 'pay.py'})
  call s:check('symbols', s:preview() =~# 'pay.py', s:preview())
  execute 'buffer ' . s:buffer
  call search('whole cents')
  let s:titles = []
  function! s:choose(data, items) abort
    let s:titles = map(copy(a:items), 'v:val[1].title')
    for l:item in a:items
      if l:item[1].title =~# 'remember'
        call ale#codefix#ApplyLSPCodeAction(a:data, l:item[1])
        return
      endif
    endfor
  endfunction
  call ale#codefix#Execute(0, function('s:choose'))
  call s:until({-> len(s:titles) > 0})
  call s:check('remember', string(s:titles) =~# 'remember', string(s:titles))
  sleep 2
catch
  call s:check('script', 0, v:exception . ' ' . v:throwpoint)
endtry
call writefile(s:told, $OUT)
if s:failed | cquit | else | qall! | endif
