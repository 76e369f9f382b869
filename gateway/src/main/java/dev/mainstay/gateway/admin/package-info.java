/** The admin API: who may use it, and what it shows and changes. */
@NullMarked
package dev.mainstay.gateway.admin;

import org.jspecify.annotations.NullMarked;
