/** What a request asks for, in no dialect, and the table of what each dialect has words for. */
@NullMarked
package dev.mainstay.wire.translate.request;

import org.jspecify.annotations.NullMarked;
