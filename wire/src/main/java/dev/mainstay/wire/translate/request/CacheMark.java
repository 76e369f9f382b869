package dev.mainstay.wire.translate.request;

/**
 * The end of a prefix that the provider is asked to keep.
 *
 * @param lasting whether for an hour; otherwise for the dialect's own default
 */
public record CacheMark(boolean lasting) {}
