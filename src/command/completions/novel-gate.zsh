#compdef novel-gate
# Completes novel-gate in zsh: a file _novel-gate in a directory of $fpath, or
#
#     source <(novel-gate completions zsh)           # in ~/.zshrc, behind compinit
#
# The program itself knows what may come next; this only carries the words there and back.

_novel-gate() {
    local program=${(Q)words[1]} answer value says
    local -a lines finished open
    program=${program/#\~\//$HOME/}
    lines=("${(@f)$("$program" completions zsh -- "${(@Q)words[2,CURRENT-1]}" "=${(Q)PREFIX}" 2>/dev/null)}")
    case $lines[1] in
        files|directories) [[ $PREFIX == --*=* ]] && compset -P '*=' ;;
    esac
    case $lines[1] in
        files) _files; return ;;
        directories) _files -/; return ;;
    esac
    for answer in "${(@)lines[2,-1]}"; do
        value=${answer%%$'\t'*}
        says=${answer#*$'\t'}
        value=${${value//\\/\\\\}//:/\\:}
        if [[ $value == *= ]]; then
            open+=("$value:$says")
        else
            finished+=("$value:$says")
        fi
    done
    (( $#open )) && _describe -t questions question open -S ''
    (( $#finished )) && _describe -t values value finished
}

if [[ $funcstack[1] == _novel-gate ]]; then
    _novel-gate "$@"
else
    compdef _novel-gate novel-gate
fi
