# Completes novel-gate in fish: a file novel-gate.fish in ~/.config/fish/completions, or
#
#     novel-gate completions fish | source           # in ~/.config/fish/config.fish
#
# The program itself knows what may come next; this only carries the words there and back.

function __novel_gate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -e words[1]
    set -l lines ($program completions fish -- $words "="(string unescape -- $current; or echo -- $current) 2>/dev/null)
    set -l flag (string match -r -- '^--[^=]*=' $current)
    set -l path (string replace -r -- '^--[^=]*=' '' $current)
    switch "$lines[1]"
        case files
            printf '%s\n' "$flag"(__fish_complete_path $path)
        case directories
            printf '%s\n' "$flag"(__fish_complete_directories $path)
        case '*'
            set -e lines[1]
            test (count $lines) -gt 0; and printf '%s\n' $lines
    end
end

complete -c novel-gate -f -k -a '(__novel_gate_complete)'
