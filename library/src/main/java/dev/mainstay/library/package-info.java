/** For Java programs: wrap any call, leases for shared clients, settings. On core alone. */
@NullMarked
package dev.mainstay.library;

import org.jspecify.annotations.NullMarked;
