/** What can be chosen in the dialog of code: sides, languages and libraries. Pure. */
import type { Export } from '#contract/records';
import { type SnippetChoice, type SnippetLanguage, type SnippetSide, snippetLibraries } from '#contract/snippets/index';

export const languageNames: Readonly<Record<SnippetLanguage, string>> = {
  python: 'Python',
  cpp: 'C++',
  csharp: 'C#',
};

export const sideNames: Readonly<Record<SnippetSide, string>> = { importer: 'Importer', exporter: 'Exporter' };

/** How an export travels, in the word of a descriptor. */
export const mechanismOf = (exported: Pick<Export, 'kind' | 'mechanism'>) =>
  exported.kind === 'event' ? 'event' : exported.mechanism;

type Mechanism = ReturnType<typeof mechanismOf>;

/** All libraries by language, in the order in which to show them. */
export function librariesByLanguage(
  mechanism: Mechanism,
  side: SnippetSide,
): ReadonlyArray<readonly [SnippetLanguage, readonly SnippetChoice[]]> {
  const all = snippetLibraries(mechanism, side);
  return (Object.keys(languageNames) as SnippetLanguage[]).map((language) => [
    language,
    all.filter((choice) => choice.language === language),
  ]);
}

export const choiceKey = ({ language, library }: Pick<SnippetChoice, 'language' | 'library'>): string =>
  `${language}/${library}`;

/** The chosen one where it can do it; the first that can otherwise. */
export function usableChoice(
  mechanism: Mechanism,
  side: SnippetSide,
  key: string | undefined,
): SnippetChoice | undefined {
  const usable = snippetLibraries(mechanism, side).filter(({ why }) => why === undefined);
  return usable.find((choice) => choiceKey(choice) === key) ?? usable[0];
}

/** What travels, in one sentence. */
export function whatTravels(exported: Pick<Export, 'kind' | 'mechanism' | 'descriptors'>): string {
  switch (mechanismOf(exported)) {
    case 'event':
      return 'An event travels as 64 bytes.';
    case 'legacy':
      return 'Memory by legacy handle travels as 64 bytes.';
    case 'pool':
      return 'Memory of a pool travels as the file descriptor of its pool and 64 bytes.';
    case 'virtual': {
      const count = exported.descriptors?.length ?? 1;
      return count === 1
        ? 'Virtual memory travels as a file descriptor.'
        : `Virtual memory travels as file descriptors, one for each of its ${count} pieces.`;
    }
    case 'fabric':
      return 'Virtual memory by fabric handle travels as 64 bytes, also to other machines.';
  }
}
