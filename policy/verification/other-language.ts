/**
 * Whether two language tags name languages that are certainly not the same. Says no where it cannot tell: where a tag
 * is missing or no code (`German`), and among languages that recognisers tell apart by chance.
 */
export function isOtherLanguage(asked: string | undefined, heard: string | undefined): boolean {
  const [wanted, found] = [languageOf(asked), languageOf(heard)];
  return wanted !== undefined && found !== undefined && wanted !== found;
}

/** Codes of languages that are written or spoken so much alike that one is often taken for the other. */
const ALIKE: Readonly<Record<string, string>> = {
  ...{ nb: 'no', nn: 'no' },
  ...{ bs: 'sr', hr: 'sr', cnr: 'sr' },
  ...{ yue: 'zh', wuu: 'zh', nan: 'zh', hak: 'zh' },
};

/** The language of a tag as one code, whatever its region, script, separator and age: `iw_IL` is `he`, `eng` is `en`. */
function languageOf(tag = ''): string | undefined {
  const code = /^([a-z]{2,3})(?:[-_]|$)/.exec(tag.toLowerCase())?.[1];
  // No language, or more than one.
  if (code === undefined || ['und', 'mul', 'mis', 'zxx'].includes(code)) return undefined;
  const { language } = new Intl.Locale(code);
  return ALIKE[language] ?? language;
}
