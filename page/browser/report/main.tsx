import { render } from 'preact';
import { readBlocks, readHead, ReportRows } from './data.ts';
import { Report } from './report.tsx';

const place = document.getElementById('page');

async function show(into: Element): Promise<void> {
  const head = await readHead();
  const rows = new ReportRows();
  const draw = (): void => {
    render(<Report head={head} rows={rows} known={rows.length} />, into);
  };
  into.replaceChildren();
  draw();
  // The first page of rows as soon as it is there; then all, since each drawing searches them.
  for await (const block of readBlocks()) {
    rows.add(block);
    if (rows.length === block.row.length) draw();
  }
  draw();
}

if (place !== null) {
  show(place).catch((error: unknown) => {
    place.textContent = `This report cannot be read here: ${String(error)}. It needs a browser of 2023 or later.`;
  });
}
