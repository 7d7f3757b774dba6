import type { CommandSpec } from './command-spec.ts';

/** Commands on the ledger itself, by their paths. */
export const LEDGER_COMMANDS: Readonly<Record<string, CommandSpec>> = {
  backup: {
    does: 'Copy the ledger and its media to a folder, while batches run; again, it copies only what is new',
    operands: [['<folder>', 'Folder of the backup: a new or an empty one, or that of an earlier backup']],
    flags: 'json',
    notes:
      'The folder has the former backup until the new one is whole. It has to lie outside of .voxbatch/, best on another disk: on the same\n' +
      'one, media take no space, and a broken disk takes both. Media in a bucket, out folders and manifests are not in it. Sends nothing.',
    examples: ['voxbatch backup /backup/voxbatch'],
    load: async () => (await import('../backup/backup.ts')).backup,
  },
  restore: {
    does: 'Put a backup in place where there is no ledger; nothing is sent from it until it is accepted',
    operands: [['<folder>', 'Folder of the backup']],
    flags: 'json',
    notes:
      'It says which rows may have been sent since the backup, which their ledger does not know, and what to do before they are sent\n' +
      'again. Media that are still in the store stay: they show what was sent. If it is killed, run it again.',
    examples: ['voxbatch restore /backup/voxbatch'],
    load: async () => (await import('../backup/restore.ts')).restore,
  },
  ledger: {
    does: 'Look after the ledger itself: move it, check it, make its tables',
    examples: ['voxbatch ledger copy .voxbatch/ledger.db postgres://voxbatch@db/voxbatch'],
  },
  'ledger copy': {
    does: 'Move a ledger with its open batches to another database, whole or not at all; spends nothing',
    operands: [
      ['<from>', 'Path or postgres:// URL of the ledger'],
      ['<to>', 'The same of a place without records'],
    ],
    flags: 'yes json',
    notes:
      'Workers have to be ended before, and are started again with VOXBATCH_LEDGER set to the new place. The old one can still be\n' +
      'looked at, and takes no work any more. If the command is killed, run it again: at any moment, at most one of the two sends.\n' +
      'Keep a password out of the URL, where others see it: PGPASSWORD or ~/.pgpass.',
    examples: [
      'voxbatch ledger copy .voxbatch/ledger.db postgres://voxbatch@db/voxbatch',
      'voxbatch ledger copy postgres://voxbatch@db/voxbatch ledger.db --yes',
    ],
    load: async () => (await import('../ledger/copy.ts')).copy,
  },
  'ledger check': {
    does: 'Count every row and charge again, and compare that with the sums that the ledger keeps; exit code 15 if they differ',
    flags: 'json',
    examples: ['voxbatch ledger check'],
    load: async () => (await import('../ledger/ledger.ts')).check,
  },
  'ledger migrate': {
    does: 'Make the tables of the ledger, or add what this version has more; for the owner of a database',
    examples: ['VOXBATCH_LEDGER=postgres://owner@db.example/voxbatch voxbatch ledger migrate'],
    load: async () => (await import('../ledger/ledger.ts')).migrate,
  },
  'ledger accept-copy': {
    does: 'Go on with a database that took the place of the ledger: a promoted replica or a restored backup',
    flags: 'compared',
    notes:
      'Such a copy may lack the last records, and what was sent since would be paid for again; so nothing is sent until\n' +
      'this command is given. It pauses all open batches and all schedules: before you resume them, compare with\n' +
      'the store (voxbatch ledger compare-store) and with the jobs of your account. Stop the former server for good: workers that still reach it would pay for the same rows there.\n' +
      'Workers that still run put on record again what they had sent, and nothing is resumed before all that wrote lately have.\n' +
      'If some are dead, if the copy names none of them, or if what they sent fits nowhere in it, compare, and then give this command\n' +
      'with --compared.',
    examples: ['voxbatch ledger accept-copy', 'voxbatch ledger accept-copy --compared'],
    load: async () => (await import('../ledger/ledger.ts')).acceptCopyNow,
  },
  'ledger compare-store': {
    does: 'After `ledger accept-copy`: find rows in the store that were sent after the copy was made, so that they are not sent again; free',
    notes:
      'Each batch is compared that nobody has resumed or redriven since, also those that had ended. Rows with a result in the store\n' +
      'and no answer in the ledger become unknown, and are settled like others: voxbatch reconcile BATCH takes the results. Files that\n' +
      'fit no row are named, and it says what stays unproven. Batches that were begun since are named with their number of results, and\n' +
      'are not compared: the ledger has none of their rows. It needs the store and, in PostgreSQL, the role of a worker: run it\n' +
      'where a worker runs.',
    flags: 'json',
    examples: ['voxbatch ledger compare-store'],
    load: async () => (await import('../ledger/compare-store.ts')).compareStoreNow,
  },
};
