// A stand-in for Claude Code: says where and how it was started, echoes lines, and obeys a few words. Nothing of the real one
// but its version, its flags and that it has the terminal.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const script = `#!/bin/bash
if [ "$1" = --version ]; then echo '2.1.325 (Claude Code)'; exit 0; fi
echo "AGENT IN $(basename "$PWD") WITH $*"
trap 'echo GOT TERM; exit 43' TERM
trap 'echo GOT INT' INT
[ -t 0 ] && [ -t 1 ] && echo HAS THE TERMINAL
while :; do
  if read -r -t 1 line; then
    case "$line" in
      stop) kill -STOP $$; echo WENT ON;;
      exit\\ *) exit "\${line#exit }";;
      *) echo "HEARD $line";;
    esac
  fi
done
`

/** Gives a folder to put in front of the PATH. */
export function makeFakeAgent(root: string): string {
  const folder = join(root, 'agents')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'claude'), script)
  chmodSync(join(folder, 'claude'), 0o755)
  return folder
}
