/** A workbook cannot be read. The message says why, as a clause after its name. */
export class UnreadableWorkbook extends Error {
  override readonly name = 'UnreadableWorkbook';
}

/** Returns the error for a workbook that violates its format. `what`: where. */
export function damaged(what: string): UnreadableWorkbook {
  return new UnreadableWorkbook(`it is damaged (${what}); open it in Excel and save it again`);
}
