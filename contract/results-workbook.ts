/** The workbook of a batch's results, in its out folder. */
export const RESULTS_XLSX = 'results.xlsx';

/** Its sheet of the rows that failed, and why. */
export const FAILED_SHEET = 'Failed';
