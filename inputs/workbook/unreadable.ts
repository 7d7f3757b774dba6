/** Why a workbook cannot be read, as a clause after its name. */
export class UnreadableWorkbook extends Error {
  override readonly name = 'UnreadableWorkbook';
}

/** A file that does not keep to its format. */
export function damaged(what: string): UnreadableWorkbook {
  return new UnreadableWorkbook(`it is damaged (${what}); open it in Excel and save it again`);
}
