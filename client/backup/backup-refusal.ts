/** Why a backup or a restore is refused. Nothing was changed. */
export type BackupRefusal =
  /** The ledger is in a database server, which has its own tools. */
  | { readonly why: 'server' }
  /** The folder of the backup lies in `of`, a folder that is backed up. */
  | { readonly why: 'inside'; readonly of: string }
  /** The folder has other files in it. */
  | { readonly why: 'not-empty' }
  /** The folder belongs to another user. */
  | { readonly why: 'anothers'; readonly uid: number }
  /** One of the backup's files is a symbolic link. */
  | { readonly why: 'link'; readonly path: string }
  /** One of the backup's files is a pipe, a folder or a device. */
  | { readonly why: 'no-file'; readonly path: string }
  /** The folder cannot be written. `says`: the system's message. */
  | { readonly why: 'unwritable'; readonly says: string }
  /** The folder has the backup of another ledger. */
  | { readonly why: 'another-ledger' }
  /** The folder has no complete backup. */
  | { readonly why: 'none' }
  /** The backup was made by a newer version of voxbatch. */
  | { readonly why: 'too-new'; readonly version: string }
  /** Where the backup would be restored, there is a ledger, or there are `files` that may be left of one. */
  | { readonly why: 'ledger-there'; readonly ledger: string; readonly files: readonly string[] }
  /** The backup has the media of a folder, and the store is a bucket. */
  | { readonly why: 'bucket'; readonly store: string };

/** Explains a refusal in a sentence. */
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
