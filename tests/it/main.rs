mod layers;
mod samples;
