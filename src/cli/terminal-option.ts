// `--terminal`, which more than one command takes.
import { Option } from '@commander-js/extra-typings'

export const terminalOption = () =>
  new Option(
    '--terminal <terminal>',
    'where it opens; headless: runs without one; none: is made, not opened (on a terminal: here, else: print)',
  ).choices(['here', 'tmux', 'wezterm', 'iterm2', 'print', 'headless', 'none'] as const)
