/** What a run did, step by step: from its journal, or from the calls that its client grouped. */
@NullMarked
package dev.mainstay.agent.record;

import org.jspecify.annotations.NullMarked;
