import { posix } from 'node:path';
import { parseFormats, type CellFormat } from './cell-formats.ts';
import { damaged, UnreadableWorkbook } from './unreadable.ts';
import { attributeOf, plainText, scanXml } from './xml-scanner.ts';
import type { ZipArchive } from './zip-archive.ts';

/** A sheet of a workbook, and what its cells refer to. Parts are files in the workbook's ZIP archive. */
export interface WorkbookParts {
  /** Name of the sheet's part. */
  readonly sheet: string;
  /** Texts that cells refer to by index. */
  readonly texts: readonly string[];
  /** Formats that cells refer to by index. */
  readonly formats: readonly CellFormat[];
  /** Whether days are counted from 1904 instead of 1900. */
  readonly is1904: boolean;
}

/** Why a file that is no workbook cannot be read. */
const NO_WORKBOOK = 'it is no Excel workbook (.xlsx); save it as one, or as "CSV UTF-8"';
/** Max characters of all texts together. */
const MAX_TEXT = 256 * 1024 ** 2;

/** The start tag of an element. `attributes`: see `attributeOf`. */
interface Element {
  readonly name: string;
  readonly attributes: string;
}

/** A sheet as the workbook lists it. */
interface ListedSheet {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

/**
 * Finds a sheet, by default the first that is not hidden, and reads what its cells refer to. Throws
 * {@link UnreadableWorkbook}.
 */
export async function readParts(archive: ZipArchive, wanted: string | undefined): Promise<WorkbookParts> {
  if (!archive.has('_rels/.rels')) throw new UnreadableWorkbook(NO_WORKBOOK);
  const workbook = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (workbook === undefined) throw new UnreadableWorkbook(NO_WORKBOOK);
  if (workbook.endsWith('.bin'))
    throw new UnreadableWorkbook('it is a binary workbook (.xlsb); save it as .xlsx, or as "CSV UTF-8"');
  const elements = await elementsOf(archive, workbook);
  if (elements[0]?.name !== 'workbook') throw new UnreadableWorkbook(NO_WORKBOOK);
  const relations = await relationsOf(archive, workbook);
  const sheets = elements.flatMap(({ name, attributes }): readonly ListedSheet[] => {
    if (name !== 'sheet') return [];
    const id = /\s\w+:id\s*=\s*["']([^"']*)["']/u.exec(attributes)?.[1];
    const relation = relations.find((one) => one.id === id && one.type === 'worksheet');
    if (relation === undefined) return [];
    const isHidden = (attributeOf(attributes, 'state') ?? 'visible') !== 'visible';
    return [{ name: attributeOf(attributes, 'name') ?? '', part: relation.target, isHidden }];
  });
  const targetOf = (type: string): string | undefined => relations.find((one) => one.type === type)?.target;
  const [texts, styles] = [targetOf('sharedStrings'), targetOf('styles')];
  const properties = elements.find(({ name }) => name === 'workbookPr')?.attributes ?? '';
  return {
    sheet: chooseSheet(sheets, wanted).part,
    texts: texts === undefined ? [] : await textsOf(archive, texts),
    formats: styles === undefined ? [] : parseFormats(await elementsOf(archive, styles)),
    is1904: ['1', 'true'].includes(attributeOf(properties, 'date1904') ?? ''),
  };
}

/** Returns the wanted sheet. Ignores case, in which names of sheets never differ alone. */
function chooseSheet(sheets: readonly ListedSheet[], wanted: string | undefined): ListedSheet {
  const folded = wanted?.trim().toLowerCase();
  const found = sheets.find(({ name, isHidden }) => (folded === undefined ? !isHidden : name.toLowerCase() === folded));
  if (found !== undefined) return found;
  const names = sheets.map(({ name }) => `"${name}"`).join(', ');
  if (wanted === undefined) throw new UnreadableWorkbook('it has no sheet that is not hidden; name one: --sheet NAME');
  throw new UnreadableWorkbook(`it has no sheet "${wanted}", but ${names}`);
}

/** A reference from one part to another. */
interface Relation {
  readonly id: string | undefined;
  /** The last segment of its type, such as `worksheet`. */
  readonly type: string;
  readonly target: string;
}

/** Returns the references of a part to other parts of the workbook. */
async function relationsOf(archive: ZipArchive, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  if (!archive.has(list)) return [];
  return (await elementsOf(archive, list)).flatMap(({ name, attributes }) => {
    if (name !== 'Relationship' || attributeOf(attributes, 'TargetMode') === 'External') return [];
    const target = posix.resolve('/', folder, attributeOf(attributes, 'Target') ?? '').slice(1);
    const type = posix.basename(attributeOf(attributes, 'Type') ?? '');
    return [{ id: attributeOf(attributes, 'Id'), type, target }];
  });
}

/** Returns the start tags of all elements of a part. */
async function elementsOf(archive: ZipArchive, part: string): Promise<readonly Element[]> {
  const elements: Element[] = [];
  await scanXml(archive.read(part), {
    open: (name, attributes) => elements.push({ name, attributes }),
    close: () => undefined,
    text: () => undefined,
  });
  return elements;
}

/** Reads the shared texts, without their pronunciation hints (`rPh`). */
async function textsOf(archive: ZipArchive, part: string): Promise<readonly string[]> {
  const texts: string[] = [];
  let [text, length] = ['', 0];
  let [isText, isHint] = [false, false];
  await scanXml(archive.read(part), {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') isHint = true;
      else if (name === 't') isText = !isHint;
    },
    text: (more) => {
      if (isText) text += more;
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isHint = false;
      else if (name === 'si') {
        length += text.length;
        if (length > MAX_TEXT) throw damaged('texts of more than 256 MB');
        texts.push(cellText(text));
      }
    },
  });
  return texts;
}

/** Decodes a text of a cell. Excel escapes characters that XML cannot hold, such as `_x000D_`. */
export function cellText(text: string): string {
  const plain = plainText(text);
  if (!plain.includes('_x')) return plain;
  return plain.replaceAll(/_x([\da-f]{4})_/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
