# Completes novel-gate in bash.
#
#     source <(novel-gate completions bash)          # in ~/.bashrc
#
# The program itself knows what may come next; this only carries the line there and the words back.

_novel_gate() {
    local kind= candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        if [[ -z $kind ]]; then
            kind=$candidate
        else
            COMPREPLY+=("${candidate%%$'\t'*}")
        fi
    done < <("${1/#\~\//$HOME/}" completions bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    # Before version 4 there is no compopt; then files are offered where nothing else is.
    type compopt &>/dev/null || return 0
    case $kind in
        files) ;;
        directories) compopt +o bashdefault +o default -o dirnames 2>/dev/null ;;
        *) compopt +o bashdefault +o default 2>/dev/null ;;
    esac
    if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o bashdefault -o default -F _novel_gate novel-gate
