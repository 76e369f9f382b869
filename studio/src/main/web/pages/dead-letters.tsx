export function DeadLettersPage(_: { id?: string }) { return null; }
