/** Why there is no backup in a folder, or none is put back. Nothing was changed. */
export type BackupRefusal =
  /** The ledger is in a database server, which has its own tools. */
  | { readonly why: 'server' }
  /** The folder lies in the one that is to be backed up. */
  | { readonly why: 'inside'; readonly of: string }
  /** The folder has something else in it. */
  | { readonly why: 'not-empty' }
  /** It is another user's. */
  | { readonly why: 'anothers'; readonly uid: number }
  /** A symbolic link lies in it. */
  | { readonly why: 'link'; readonly path: string }
  /** A pipe, folder or device lies in it in place of a file. */
  | { readonly why: 'no-file'; readonly path: string }
  /** The system lets nobody write there. */
  | { readonly why: 'unwritable'; readonly says: string }
  /** It has backups of another ledger. */
  | { readonly why: 'another-ledger' }
  /** It has no whole backup. */
  | { readonly why: 'none' }
  /** A newer version has made it. */
  | { readonly why: 'too-new'; readonly version: string }
  /** There is a ledger where the backup would be put, or what is left of one, in these files. */
  | { readonly why: 'ledger-there'; readonly ledger: string; readonly files: readonly string[] }
  /** The backup has media of a folder, and the store is a bucket. */
  | { readonly why: 'bucket'; readonly store: string };

/** Why, as the end of a sentence about the folder. */
export function refusalWords(folder: string, refusal: BackupRefusal): string {
  switch (refusal.why) {
    case 'server':
      return 'The ledger is in a database server, which makes consistent backups itself, and puts them back.';
    case 'inside':
      return `${folder} lies in ${refusal.of}, so a backup there would be lost with it.`;
    case 'not-empty':
      return `${folder} has other files in it, and a backup is never mixed with them.`;
    case 'anothers':
      return `${folder} belongs to another user (uid ${String(refusal.uid)}), who could read and change the backup.`;
    case 'link':
      return `${refusal.path} is a symbolic link, which could lead to any file of yours.`;
    case 'no-file':
      return `${refusal.path} is no regular file, so it is none of a backup.`;
    case 'unwritable':
      return `${folder} cannot be written (${refusal.says}).`;
    case 'another-ledger':
      return `${folder} has the backup of another ledger, which would be lost.`;
    case 'none':
      return `There is no whole backup in ${folder}.`;
    case 'too-new':
      return `The backup in ${folder} was made by a newer version of voxbatch (${refusal.version}), in a form that this one does not know.`;
    case 'ledger-there':
      return `There is a ledger already: ${refusal.files[0] ?? refusal.ledger}. A backup never takes the place of one, which may have newer records.`;
    case 'bucket':
      return `The backup in ${folder} has the media of a folder, and the store is a bucket: ${refusal.store}.`;
  }
}
