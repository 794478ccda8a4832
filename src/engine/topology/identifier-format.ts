/** The format of names in netlab (`netsim/data/types.py`, must_be_id). */
export const identifierFormat = /^[A-Za-z_][A-Za-z0-9_-]{0,15}$/;
export const identifierHelp =
  'must begin with a letter or an underscore and have at most 16 letters, digits, underscores and hyphens';
