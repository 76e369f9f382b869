/** What commands ask of a gateway that runs, through its admin API. */
@NullMarked
package dev.mainstay.app.admin;

import org.jspecify.annotations.NullMarked;
