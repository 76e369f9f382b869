/** What a failure means: the words every part of Mainstay shares. */
@NullMarked
package dev.mainstay.core.verdict;

import org.jspecify.annotations.NullMarked;
