/**
 * {@code mainstay rehearse}, which the launcher runs behind the first start: what the JVM learns of
 * a gateway under load is kept for the starts that follow.
 */
@NullMarked
package dev.mainstay.app.rehearse;

import org.jspecify.annotations.NullMarked;
