/** The studio: web pages over the admin API, served from the class path. */
@org.jspecify.annotations.NullMarked
package dev.mainstay.studio;
