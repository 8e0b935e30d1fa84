// `--terminal`, which more than one command takes.
import { Option } from '@commander-js/extra-typings'

export const terminalOption = () =>
  new Option('--terminal <terminal>', 'where it opens (on a terminal: here, else: print)').choices([
    'here',
    'tmux',
    'wezterm',
    'iterm2',
    'print',
    'none',
  ] as const)
