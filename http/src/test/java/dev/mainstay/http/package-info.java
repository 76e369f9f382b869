@NullMarked
package dev.mainstay.http;

import org.jspecify.annotations.NullMarked;
