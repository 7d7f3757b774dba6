/** What to do next about a ledger that nobody has confirmed: its author's words must not become commands that its reader copies. */
export const CONFIRM_FIRST =
  'This ledger may have come with the folder, so no command is advised from it. To see what it could do, and to confirm it: voxbatch trust';
