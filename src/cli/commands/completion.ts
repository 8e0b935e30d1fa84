// `offshoot completion`: a script for the shell that asks `offshoot __complete` for candidates, so that what it offers is
// always what this version knows.
import type { Context } from '../context.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

export async function printCompletion({ out }: Context, shell: Shell): Promise<void> {
  await out.write(scripts[shell])
}

// bash splits words at : and @, which addresses are full of: the line is split here at blanks instead, and what stands
// before the last : or @ is taken off again, because bash puts it there itself.
const bash = `# offshoot completion for bash: source <(offshoot completion bash)
_offshoot() {
  local line="\${COMP_LINE:0:COMP_POINT}" current prefix='' value words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  current="\${words[\${#words[@]}-1]}"
  if [[ "$COMP_WORDBREAKS" == *:* ]]; then prefix="\${current%"\${current##*[:@=]}"}"; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("\${value#"$prefix"}")
  done < <(offshoot __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _offshoot offshoot
`

const zsh = `#compdef offshoot
# offshoot completion for zsh: source <(offshoot completion zsh)
_offshoot() {
  local -a candidates
  local value about
  while IFS=$'\\t' read -r value about; do
    candidates+=("\${value//:/\\\\:}:$about")
  done < <(offshoot __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe 'offshoot' candidates; else _files; fi
}
if (( $+functions[compdef] )); then compdef _offshoot offshoot; fi
`

const fish = `# offshoot completion for fish: offshoot completion fish > ~/.config/fish/completions/offshoot.fish
function __offshoot_candidates
  set -l words (commandline -opc)
  set -a words (commandline -ct | string collect --allow-empty)
  offshoot __complete -- $words[2..-1] 2>/dev/null
end
complete -c offshoot -f -a '(__offshoot_candidates)'
complete -c offshoot -s o -l output -r -F
complete -c offshoot -l repo -r -F
complete -c offshoot -l file -r -F
`

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }
