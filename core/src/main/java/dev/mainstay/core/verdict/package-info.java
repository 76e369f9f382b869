/** What a failure means: the words every part of Mainstay shares. No rules and no policy. */
@NullMarked
package dev.mainstay.core.verdict;

import org.jspecify.annotations.NullMarked;
