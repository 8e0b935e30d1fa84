// Words with the frequencies of real text (Zipf), made from syllables: a small vocabulary would make every word common and every
// index look alike.
import type { Random } from './random.ts'

const onsets = 'b c d f g h l m n p r s t v br ch cl cr dr fl gr pl pr sh sl st th tr'.split(' ')
const vowels = 'a e i o u ai ea oo ou'.split(' ')
const codas = ['', '', 'n', 'r', 's', 't', 'l', 'ck', 'nd', 'st', 'm']
/** The commonest words of developers' talk, in about the order of how common they are. */
const common =
  'the to a and is in it of for that this on with not be file test we code so if now let me from are run check add change function error use was but as by can an or will new there at fix make all need line should when which has have also does just value name see path set get only type call build data use return first commit branch session list read write string update work command default output config server client request response token cache index query table row model view page button state event handler user auth login key user'.split(
    ' ',
  )

export interface Vocabulary {
  word(random: Random): string
  /** Text of about this many characters: sentences, with a name or a path now and then. */
  text(random: Random, characters: number): string
}

export function createVocabulary(random: Random, size = 40_000): Vocabulary {
  const words = new Set<string>(common)
  while (words.size < size) {
    let made = ''
    for (let syllables = random.int(1, 3); syllables > 0; syllables -= 1) {
      made += random.pick(onsets) + random.pick(vowels) + random.pick(codas)
    }
    words.add(made)
  }
  const ranked = [...words]
  const pickWord = (from: Random) => ranked[Math.floor(ranked.length ** from.next()) - 1] ?? 'the'
  const pickName = (from: Random) => {
    const [one, other] = [pickWord(from), pickWord(from)]
    return from.chance(0.5) ? `${one}${other.charAt(0).toUpperCase()}${other.slice(1)}` : `src/${one}/${other}.ts`
  }
  return {
    word: pickWord,
    text(from, characters) {
      let made = ''
      while (made.length < characters)
        made += `${from.chance(0.06) ? pickName(from) : pickWord(from)}${from.chance(0.08) ? '. ' : ' '}`
      return made
    },
  }
}
