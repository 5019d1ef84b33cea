"""PDF documents for customers: page layout and fonts, independent of any subject."""
