import { dirname } from 'node:path';
import type { BackupRefusal } from '../../client/backup/backup-refusal.ts';
import { shellWord } from '../../contract/shell-word.ts';

/** Returns what to do after a backup to `folder`, or a restore from it, was refused. */
export function backupAdvice(folder: string, refusal: BackupRefusal): string {
  switch (refusal.why) {
    case 'server':
      return 'The commands for PostgreSQL are in docs/guide/cluster.md, "A ledger from a backup".';
    case 'inside':
    case 'not-empty':
    case 'anothers':
    case 'another-ledger':
    case 'unwritable':
      return 'Name another folder that is new or empty, best on another disk.';
    case 'link':
      return `Remove it: rm ${shellWord(refusal.path)}`;
    case 'no-file':
      return `Move it away: mv ${shellWord(refusal.path)} ${shellWord(`${refusal.path}.other`)}`;
    case 'none':
      return `Name a folder that \`voxbatch backup\` has written. ${shellWord(folder)} may have an unfinished one only.`;
    case 'too-new':
      return 'Use that newer version.';
    case 'ledger-there': {
      const { ledger, files } = refusal;
      const formerFolder = `${dirname(ledger)}/former-ledger`;
      return (
        'If it can be read, go on with it, and restore nothing. If it is damaged, end all voxbatch commands, move these files away, and leave all else where it is: ' +
        `mkdir ${shellWord(formerFolder)} && mv ${files.map(shellWord).join(' ')} ${shellWord(formerFolder)}/`
      );
    }
    case 'bucket':
      return `Copy the media there first (aws s3 sync ${shellWord(`${folder}/store`)} ${shellWord(refusal.store)}), then set VOXBATCH_STORE to nothing, restore, and set it again.`;
  }
}
