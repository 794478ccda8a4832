import { UnexpectedReply } from './service-error.ts';

/** All pages of a list. */
export async function* pagesOf<Page extends { readonly nextCursor: string | null }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    if (page.nextCursor !== null && page.nextCursor === cursor)
      throw new UnexpectedReply('the next page is the one that was just read');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
