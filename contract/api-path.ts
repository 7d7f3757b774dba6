/** Where the API lies on its host: every base address ends in this path. */
export const API_PATH = '/api/open/v1';
