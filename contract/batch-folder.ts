/** Characters of a batch's name in the name of its folder, which may have 255 bytes. */
const LONGEST_NAME = 48;
/** Hex digits at the end of a folder's name. */
const ID = /-[0-9a-f]{10}$/;

/**
 * Name of a batch's folder in the store. Some file systems treat `Lines` and `lines`, or two Unicode forms of one name,
 * as the same, so it has a random id.
 *
 * @param id 10 hex digits
 */
export function batchFolder(name: string, id: string): string {
  return `${shortened(name)}-${id}`;
}

/**
 * The name, as far as it was kept, of the batch whose folder may be called this; undefined for a folder of something
 * else.
 */
export function batchOfFolder(folder: string): string | undefined {
  return ID.test(folder) ? folder.replace(ID, '') : undefined;
}

/** How the folders of all batches of a name begin, and some others. */
export function folderPrefix(name: string): string {
  return `${shortened(name)}-`;
}

/** Whether a folder may be one of a batch of this name. */
export function isFolderOf(name: string, folder: string): boolean {
  return batchOfFolder(folder) === shortened(name);
}

function shortened(name: string): string {
  return Array.from(name).slice(0, LONGEST_NAME).join('');
}
