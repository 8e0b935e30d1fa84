// What may be the name of a model. Names are the agents' own business; here only what could be taken for something else is refused.

const longest = 200

/** Why it is none, as a sentence; `null`: it may be one. */
export function modelNameProblem(name: string): string | null {
  if (name === '') return 'A model has a name.'
  if (name.startsWith('-')) return "A model's name does not begin with a hyphen."
  if (/[\s\p{Cc}\p{Cf}]/u.test(name)) return "A model's name has no blanks and no control characters."
  return name.length > longest ? `A model's name has at most ${longest} characters.` : null
}
