/**
 * Returns the receipt in the text of its saved page, as JSON; undefined for any other text. The page has the
 * JSON in an element of its own, without any `<` in it.
 */
export const receiptTextIn = (text: string): string | undefined =>
  /<script type="application\/json" id="receipt">([^<]*)<\/script>/.exec(text)?.[1]
