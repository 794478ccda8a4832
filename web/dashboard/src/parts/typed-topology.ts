/** A topology that the user types into the dialog that starts a lab: kept until the lab starts or the user discards it. */
import { Store } from '../api/store.ts';

export const typedTopology = new Store<string | undefined>(undefined);
