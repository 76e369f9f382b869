package dev.mainstay.call.admission;

import org.jspecify.annotations.Nullable;

/**
 * Which key of a provider's pool an attempt takes.
 *
 * @param conversation the same for all turns of a conversation, which stay with one key
 * @param same whether no other key is taken after a failure: the request names what may be known to
 *     one key alone
 * @param name of the only key that may be taken, or null
 */
public record KeyChoice(long conversation, boolean same, @Nullable String name) {}
