/** Folder of the results, below the out folder. */
export const MEDIA_FOLDER = 'media';

/** What a file name can be made of. */
export interface NameFacts {
  readonly id: string;
  /** 1-based. */
  readonly row: number;
  readonly kind: string;
  /** What the file is, without a dot. */
  readonly extension: string;
  /** Input columns of the batch, and this row's cells in the same order. */
  readonly columns: readonly string[];
  readonly input: readonly string[];
}

/** A name that a file cannot have. The message says which part is wrong. */
export class UnfitName extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnfitName';
  }
}

/** Longest part of a path, in bytes: file systems take 255, and a part file adds its own suffix. */
const LONGEST_PART = 220;

/**
 * File name of a result below `media/`, from a template such as `{id}.{ext}`.
 *
 * `{id} {row} {kind} {ext}` are the row's own facts, any other `{column}` is that input column. The name always ends in
 * what the file is: `.ext` is added where the template does not end so. A `/` makes a folder.
 * Throws {@link UnfitName} for an unknown placeholder and for every name that could leave the folder.
 */
export function mediaName(template: string, facts: NameFacts): string {
  const rendered = template.replaceAll(/\{([^{}]*)\}/gu, (_, placeholder: string) => valueOf(placeholder, facts));
  const name = rendered.endsWith(`.${facts.extension}`) ? rendered : `${rendered}.${facts.extension}`;
  checkName(name);
  return name;
}

/** Throws {@link UnfitName} unless the name is a plain relative path that stays below its folder. */
export function checkName(name: string): void {
  // eslint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u001f\u007f\\]/u.test(name)) {
    throw new UnfitName(`a file name holds a backslash or a control character: ${JSON.stringify(name)}`);
  }
  for (const part of name.split('/')) {
    if (part === '' || part === '.' || part === '..') {
      throw new UnfitName(`a file name must be a plain relative path, but it is ${JSON.stringify(name)}`);
    }
    if (Buffer.byteLength(part) > LONGEST_PART) {
      throw new UnfitName(`a file name is longer than ${LONGEST_PART} bytes: ${JSON.stringify(part.slice(0, 60))}…`);
    }
  }
}

function valueOf(placeholder: string, facts: NameFacts): string {
  switch (placeholder) {
    case 'id':
      return facts.id;
    case 'row':
      return String(facts.row);
    case 'kind':
      return facts.kind;
    case 'ext':
      return facts.extension;
    default: {
      const index = facts.columns.indexOf(placeholder);
      if (index < 0) throw new UnfitName(`the name template asks for {${placeholder}}, which is no input column`);
      return facts.input[index] ?? '';
    }
  }
}
