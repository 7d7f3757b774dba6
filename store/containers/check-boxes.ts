import { readBox } from './box.ts';
import { notWhole, type Container } from './container.ts';

/**
 * Walks the outer boxes of an MP4 or QuickTime file. Throws `UnfitBody` if a box is cut off, or if there is no index.
 */
export async function checkBoxes(container: Container): Promise<undefined> {
  const { file } = container;
  let hasIndex = false;
  for (let at = 0; at < file.bytes;) {
    const box = await readBox(file, at);
    if (box === undefined) throw notWhole(container, `its box at byte ${at} of ${file.bytes} is broken`);
    hasIndex ||= box.name === 'moov';
    if (box.end > file.bytes) {
      throw notWhole(container, `its box "${box.name}" ends at byte ${box.end}, and the file at byte ${file.bytes}`);
    }
    at = box.end;
  }
  if (!hasIndex) throw notWhole(container, 'it has no index of its content (moov box)');
}
