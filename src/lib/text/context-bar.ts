// How full the child's context will be, as a bar that reads without colour.

const cells = 20

/** `[########------------] 42 %`; a bar that is over its end says so by its number. */
export function contextBar(percent: number): string {
  const full = Math.min(cells, Math.max(percent > 0 ? 1 : 0, Math.round((percent / 100) * cells)))
  return `[${'#'.repeat(full)}${'-'.repeat(cells - full)}] ${formatPercent(percent)} %`
}

function formatPercent(percent: number): string {
  if (percent > 0 && percent < 1) return '< 1'
  return String(Math.round(percent))
}

/** `12,345`: the same in every locale, so that what is printed can be written down. */
export function groupDigits(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',')
}
